import type { Command } from 'commander'
import type { ClockMode, ClockSetting } from '../../client/control-client.ts'

/** How time is to pass. */
export interface ClockFlags {
  readonly now?: string
  readonly rate?: string
}

export function clockFlags(command: Command): Command {
  return command
    .option('--now <time>', 'what time it is then, as 2027-01-01T00:00:00Z; never before the time it is')
    .option('--rate <factor>', 'how much faster than the wall a real clock runs, as 60 or 60x')
}

export function clockSetting(mode: ClockMode, { now, rate }: ClockFlags): ClockSetting {
  return {
    mode,
    ...(now === undefined ? {} : { now }),
    ...(rate === undefined ? {} : { rate: /^\d+(?:\.\d+)?$/.test(rate) ? Number(rate) : rate }),
  }
}
