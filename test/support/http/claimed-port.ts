import { onTestFinished } from 'vitest'
import { claimPort } from '../../../src/application/listening.ts'

/**
 * A port that nothing listens on until this test uses it. No other test claims it, and the system does not give it to a
 * server that asks for any free port.
 */
export async function claimedPort(): Promise<number> {
  const { port, release } = await claimPort()
  onTestFinished(release)
  return port
}
