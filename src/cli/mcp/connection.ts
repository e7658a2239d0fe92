import { ControlClient } from '../../client/control-client.ts'
import { type Agent, agentOf, type KeyFiles, type Place } from './agent.ts'

interface Settings {
  /** Looks for the simulator, and throws if there is none. */
  readonly find: () => Promise<Place>
  /** The account that a tool uses if its caller names none. */
  readonly account: string
  readonly files: KeyFiles
}

/**
 * The simulator that the tools are about. An agent's client starts its servers with itself, often before the simulator,
 * and goes on when that is started again on another port: so it is looked for at each call.
 */
export class Connection {
  readonly #settings: Settings
  readonly #agents = new Map<string, Agent>()
  #before: Agent | undefined
  #missed = false

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** What the tools use now, and a sentence if it is not what they used before. */
  async now(): Promise<{ readonly agent: Agent; readonly news: string | undefined }> {
    const place = await this.#settings.find().catch((cause: unknown) => {
      this.#missed = true
      throw cause
    })
    const agent = this.#agentAt(place)
    const news = this.#newsOf(agent)
    this.#before = agent
    this.#missed = false
    return { agent, news }
  }

  #agentAt(place: Place): Agent {
    const name = `${place.controlUrl} ${place.controlToken}`
    const known = this.#agents.get(name)
    if (known) return known
    const control = new ControlClient({ controlUrl: place.controlUrl, token: place.controlToken })
    const agent = agentOf(place, this.#settings.account, control, this.#settings.files)
    this.#agents.set(name, agent)
    return agent
  }

  #newsOf(agent: Agent): string | undefined {
    if (this.#before && agent !== this.#before)
      return `This is another simulator than before: it is at ${agent.url}.`
    return this.#missed ? `There is a simulator now, at ${agent.url}.` : undefined
  }

  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map(({ control }) => control.close()))
  }
}
