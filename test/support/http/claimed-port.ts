import { onTestFinished } from 'vitest'
import { claimPort } from '../../../src/application/listening.ts'

/**
 * A port that nothing listens on, and that stays so until this test uses it: no other test claims it, and the system
 * gives it to nobody who asks for any port.
 */
export async function claimedPort(): Promise<number> {
  const { port, release } = await claimPort()
  onTestFinished(release)
  return port
}
