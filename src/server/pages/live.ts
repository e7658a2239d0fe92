import type { Gateway } from '../../engine/gateway.ts'
import type { EventStreams } from '../http/event-stream.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import type { Live } from './layout.ts'
import { type Opened, open } from './opening.ts'

export interface LiveSettings {
  readonly gateway: Gateway
  readonly streams: EventStreams
}

/** Tells the browser that the page has changed, but not how. */
export function liveState({ runtime: { account }, payment, livePath, isOver }: Opened): Live {
  const { clock, now } = account
  return {
    url: livePath,
    shown: account.sign(`shown/${payment.sortKey.id}/${payment.seq}/${isOver(payment)}`),
    now,
    rate: clock.mode === 'virtual' ? 0 : clock.rate,
  }
}

/**
 * Sends the current version at once and at each change. A browser that lost the connection reconnects automatically.
 */
export async function follow(
  { gateway, streams }: LiveSettings,
  kind: 'checkout' | 'bank',
  request: Request,
  reply: Reply,
): Promise<Reply> {
  const opened = await open(gateway, kind, request, reply)
  if (!('payment' in opened)) return opened
  const { account } = opened.runtime
  const stream = streams.begin(request, reply, {
    headers: { 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' },
  })

  let lastAnnounced = ''
  let isAboutTo = false
  const tell = async () => {
    if (isAboutTo) return
    isAboutTo = true
    // A page shows only entries that are safe on disk, so notify the browser only then.
    await account.settled().finally(() => {
      isAboutTo = false
    })
    const payment = account.world.payments.get(opened.payment.sortKey.id)
    // The browser reloads the page, which then explains that the link has expired.
    if (!payment) return stream.end()
    const { shown, now, rate } = liveState({ ...opened, payment })
    // While time runs, the browser can compute it.
    const news = JSON.stringify(rate === 0 ? { shown, now, rate } : { shown, rate })
    if (news === lastAnnounced) return
    lastAnnounced = news
    stream.send(`data: ${JSON.stringify({ shown, now, rate })}\n\n`)
  }
  stream.send(`retry: ${RETRY_MS}\n\n`)
  // If it cannot be sent now, the browser gets it when it reconnects.
  const say = () => void tell().catch(() => stream.end())
  say()
  const listening = [
    account.onEntry(say),
    account.onReplaced(say),
    account.clock.onJump(() => {
      // The browser's computed time is no longer right.
      lastAnnounced = ''
      say()
    }),
  ]
  stream.onOver(() => {
    for (const stop of listening) stop()
  })
  return reply
}

const RETRY_MS = 1000
