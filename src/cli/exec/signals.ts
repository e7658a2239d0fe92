import { constants } from 'node:os'

const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
export type StopSignal = (typeof STOPPING)[number]

/** What this process is told from outside, kept until somebody listens. */
export class Signals {
  #listener: ((name: NodeJS.Signals) => void) | undefined
  /** The first one that came while nobody listened. */
  missed: StopSignal | undefined

  constructor() {
    for (const name of STOPPING)
      process.on(name, () => {
        if (this.#listener) this.#listener(name)
        else this.missed ??= name
      })
    if (process.platform === 'win32') return
    // The command sits in a session of its own: what the terminal says to us, it does not hear.
    process.on('SIGWINCH', () => this.#listener?.('SIGWINCH'))
    process.on('SIGCONT', () => this.#listener?.('SIGCONT'))
    process.on('SIGTSTP', () => {
      this.#listener?.('SIGSTOP')
      process.kill(process.pid, 'SIGSTOP')
    })
  }

  listen(listener: (name: NodeJS.Signals) => void): void {
    this.#listener = listener
  }
}

/** As a shell has it. */
export const statusOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]
