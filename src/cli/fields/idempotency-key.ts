import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'

export interface KeyFlags {
  /** False where none is to be sent. */
  readonly idempotencyKey?: string | false
  readonly dryRun?: true
}

/** `--idempotency-key` and, for calls that can do without, its opposite. */
export function keyFlags(command: Command): Command {
  return command
    .option('--idempotency-key <key>', 'answered once, however often it is sent; made and told, unless given')
    .option('--no-idempotency-key', 'send none: then a call that may have arrived is not repeated')
}

/** The key that goes with a call. One that is made is told before it is used, or nobody could use it again. */
export function keyFor({ idempotencyKey, dryRun }: KeyFlags): string | undefined {
  if (idempotencyKey === false) return undefined
  if (idempotencyKey !== undefined) return idempotencyKey
  const key = randomUUID()
  if (!dryRun) process.stderr.write(`idempotency key ${key}\n`)
  return key
}
