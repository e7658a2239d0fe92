import type { PaymentIntent } from '../../../client/index.ts'
import { plain } from '../../output/plain.ts'
import { paintStatus } from '../../output/status.ts'
import { visible } from '../../output/visible.ts'
import { newsTeller } from './wait-words.ts'

/** What somebody sees who waits. */
export interface Progress {
  /** The payment is another than it was. */
  update(payment: PaymentIntent): void
  note(text: string): void
  end(): void
}

/** A spinner where stderr is a terminal; otherwise nothing but a line for each change. */
export async function openProgress(id: string, flags: { readonly color?: boolean }): Promise<Progress> {
  // A terminal of no columns would never see the end of the first line.
  return process.stderr.isTTY && process.stderr.columns > 0 ? spinner(id, flags) : lines(id)
}

const write = (line: string) => void process.stderr.write(`${line}\n`)

function lines(id: string): Progress {
  const newsOf = newsTeller()
  return {
    update(payment) {
      const news = newsOf(payment)
      if (news !== undefined) write(`${id}: ${news}`)
    },
    note: write,
    end() {},
  }
}

async function spinner(id: string, flags: { readonly color?: boolean }): Promise<Progress> {
  const [{ default: ora }, { openScreen }] = await Promise.all([
    import('ora'),
    import('../../output/screen.ts'),
  ])
  const { paint } = await openScreen(process.stderr, flags)
  const newsOf = newsTeller()
  const startedAt = performance.now()
  let status = ''
  const text = () => {
    const seconds = Math.floor((performance.now() - startedAt) / 1000)
    return [id, paintStatus(status, paint), paint.dim(`${seconds}s`)].filter(part => part !== '').join(' ')
  }
  // Lines that are written while it turns, it puts above itself.
  const turning = ora({
    stream: process.stderr,
    text: text(),
    discardStdin: false,
    color: paint.level > 0 && 'cyan',
  }).start()
  const tick = setInterval(() => {
    turning.text = text()
  }, 1000)
  return {
    update(payment) {
      status = visible(plain(payment.status))
      const news = newsOf(payment)
      if (news !== undefined)
        write(news.startsWith(status) ? paintStatus(status, paint) + news.slice(status.length) : news)
      turning.text = text()
    },
    note: line => write(paint.dim(line)),
    end() {
      clearInterval(tick)
      turning.stop()
    },
  }
}
