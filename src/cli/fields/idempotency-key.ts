import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'

export interface KeyFlags {
  /** False if no key is to be sent. */
  readonly idempotencyKey?: string | false
  readonly dryRun?: true
}

/** `--idempotency-key`, and its opposite for calls that can do without a key. */
export function keyFlags(command: Command): Command {
  return command
    .option('--idempotency-key <key>', 'acts only once per key (default: a new key, printed to stderr)')
    .option('--no-idempotency-key', 'send no key, and repeat no call that may have arrived')
}

/** The key of a call. A new key is printed before the call, so that it can be used again if the call fails. */
export function keyFor({ idempotencyKey, dryRun }: KeyFlags): string | undefined {
  if (idempotencyKey === false) return undefined
  if (idempotencyKey !== undefined) return idempotencyKey
  const key = randomUUID()
  if (!dryRun) process.stderr.write(`idempotency key ${key}\n`)
  return key
}
