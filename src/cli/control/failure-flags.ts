import type { Command } from 'commander'
import type { FailureReason } from '../../client/control-client.ts'

/** Why something fails, where the standard reason will not do. */
export interface FailureFlags {
  readonly code?: string
  readonly message?: string
}

export function failureFlags(command: Command, offered?: 'code and message' | 'message'): Command {
  if (offered === 'code and message')
    command.option('--code <code>', 'the failure_code, as insufficient_funds')
  if (offered !== undefined) command.option('--message <text>', 'why, for people')
  return command
}

export const failureOf = ({ code, message }: FailureFlags): FailureReason => ({
  ...(code === undefined ? {} : { failure_code: code }),
  ...(message === undefined ? {} : { failure_message: message }),
})
