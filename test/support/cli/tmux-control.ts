import { type ChildProcess, spawn } from 'node:child_process'

/** Notifications of tmux, such as `%output` and `%exit`. */
type Listener = (line: string) => void

interface Reply {
  readonly lines: string[]
  readonly resolve: (lines: string[]) => void
  readonly reject: (error: Error) => void
}

/**
 * A tmux in control mode: commands go in as lines, answers and notifications come out as lines, so nothing is polled.
 */
export class TmuxControl {
  readonly #tmux: ChildProcess
  readonly #waiting: Reply[] = []
  readonly #listeners = new Set<Listener>()
  readonly #gone: Promise<void>
  #begun = ''
  #answering = false

  constructor(args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
    this.#tmux = spawn('tmux', args, { ...options, stdio: ['pipe', 'pipe', 'inherit'] })
    this.#tmux.stdin?.on('error', () => {})
    this.#tmux.stdout?.setEncoding('utf8').on('data', text => this.#read(text))
    this.#gone = new Promise(resolve => this.#tmux.once('close', () => resolve()))
    this.#gone.then(() => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error('tmux is gone'))
      this.#tell('%exit')
    })
  }

  /** The answer to the initial command comes first, without a request. */
  ready(): Promise<string[]> {
    return new Promise((resolve, reject) => this.#waiting.push({ lines: [], resolve, reject }))
  }

  ask(command: string): Promise<string[]> {
    const answered = this.ready()
    this.#tmux.stdin?.write(`${command}\n`)
    return answered
  }

  onNews(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    // The answer may be lost when the server ends, which is enough to know.
    await Promise.race([this.ask('kill-server').catch(() => {}), this.#gone])
    await this.#gone
  }

  #read(text: string) {
    const lines = (this.#begun + text).split('\n')
    this.#begun = lines.pop() ?? ''
    for (const line of lines) this.#take(line)
  }

  #take(line: string) {
    const [reply] = this.#waiting
    if (line.startsWith('%begin ')) this.#answering = true
    else if (this.#answering && /^%(?:end|error) \d+ \d+ \d+$/.test(line)) {
      this.#answering = false
      this.#waiting.shift()
      if (line.startsWith('%end')) reply?.resolve(reply.lines)
      else reply?.reject(new Error(`tmux: ${reply.lines.join('\n')}`))
    } else if (this.#answering) reply?.lines.push(line)
    else this.#tell(line)
  }

  #tell(line: string) {
    for (const listen of this.#listeners) listen(line)
  }
}
