import type { Caller } from './torture-server.ts'

/** The test fails after this long without a change. A failed webhook is tried again after 5 s. */
export const STILL_MS = 120_000

/** Resolves when no webhook of the account is in progress. */
export async function webhooksOver(server: Pick<Caller, 'control'>, account: string): Promise<void> {
  let movedAt = performance.now()
  let before = ''
  for (;;) {
    const overview = await server.control('GET', `/accounts/${account}/overview`)
    const { pending, attempting } = overview?.body.webhooks.by_status ?? {}
    if (pending === 0 && attempting === 0) return
    const now = `${pending} ${attempting}`
    if (now !== before) movedAt = performance.now()
    if (performance.now() > movedAt + STILL_MS)
      throw new Error(`webhooks are still on their way: ${overview?.text}`)
    before = now
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}
