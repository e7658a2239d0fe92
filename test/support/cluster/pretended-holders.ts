import { EventEmitter, once } from 'node:events'
import { onTestFinished } from 'vitest'
import type { Holders } from '../../../src/engine/store/holders.ts'
import { MemoryStore, type Store } from '../../../src/engine/store/store.ts'
import { Simulator, type SimulatorOptions } from '../../../src/simulator.ts'

/** Which process holds which account, set by a test instead of rows in a database. */
export class PretendedHolders {
  readonly #held = new Map<string, Simulator | null>()
  readonly #changes = new EventEmitter().setMaxListeners(0)
  readonly #processes: Simulator[] = []
  /** How often each process asked. */
  asked = 0

  /** Null while another process's lease has not expired. */
  hold(account: string, by: Simulator | null): void {
    this.#held.set(account, by)
    this.#changes.emit('change')
  }

  join(process: Simulator): void {
    this.#processes.push(process)
  }

  /** Ends all processes at once: one that stops reads on the connections of the others until these end them. */
  async stop(): Promise<void> {
    await Promise.all(this.#processes.splice(0).map(process => process.stop()))
  }

  seenBy(self: () => Simulator | undefined, node: string, secret: string): Holders {
    const find = async (account: string, signal: AbortSignal) => {
      this.asked++
      for (;;) {
        signal.throwIfAborted()
        const holder = this.#held.get(account)
        if (holder) return holder === self() ? undefined : holder.facts().listen
        await once(this.#changes, 'change', { signal })
      }
    }
    const holders = {
      node,
      secret,
      mayAnswer: (account: string) => self() === undefined || this.#held.get(account) === self(),
      remoteHolder: (account: string, signal: AbortSignal) => find(account, signal),
      hold: (account: string, signal: AbortSignal) => find(account, signal),
      beginCall: (account: string) => holders.mayAnswer(account),
      endCall: () => {},
      departure: {
        prepare: async () => {},
        begin: async () => {},
        answeredAll: async () => {},
        isUnderWay: async () => false,
        hasAnsweredAll: async () => false,
      },
      counts: { takeovers: 0, moves: 0, forwarded: 0, lagMs: 0 },
      held: 0,
      nodes: async () => [],
      heldMerchants: async () => ({ rows: [], total: 0 }),
      watch: () => {},
      useOnce: async () => true,
    }
    return holders
  }
}

const SAME: SimulatorOptions = {
  port: 0,
  dataDir: null,
  seed: '7',
  clock: 'virtual',
  controlToken: 'token-of-all',
}

/** A simulator that shares accounts with others, or one alone. With one seed they all have the same keys and ids. */
export async function startSimulator(
  options: Partial<SimulatorOptions> = {},
  cluster?: { readonly holders: PretendedHolders; readonly node: string; readonly secret?: string },
): Promise<Simulator> {
  let simulator: Simulator | undefined
  const holders = cluster?.holders.seenBy(() => simulator, cluster.node, cluster.secret ?? 'secret-of-all')
  const store: Store = new MemoryStore()
  const open = async () => (holders ? Object.assign(store, { holders }) : store)
  simulator = await Simulator.start({ ...SAME, ...options }, open)
  const started = simulator
  cluster?.holders.join(started)
  onTestFinished(() => (cluster ? cluster.holders.stop() : started.stop()))
  return started
}
