import { Output } from '../../application/process.ts'
import { basicAuthorization } from '../../client/credentials.ts'
import { resolveContract } from '../../contract/resolve-contract.ts'
import type { RunSuite } from '../../explore/suite.ts'
import type { SuiteAccount, SuiteGateway } from '../../explore/suite-run.ts'
import type { RunningSimulator } from '../../library/running-simulator.ts'
import { startWith } from '../../library/start-simulator.ts'
import { environmentOf, runCommand } from './run-command.ts'

/** Runs a test command as `paysim exec` does, with all that it calls and all that is sent to it under `run`'s control. */
export function runnerOf(command: readonly string[]): RunSuite {
  return async (run, seed, withinMs) => {
    const simulator = await startWith(
      { seed, onWarning: () => {} },
      {
        relayWebhook: (request, send) => run.relay(request, message => send({ ...request, ...message })),
      },
    )
    try {
      const proxy = await run.open(gatewayOf(simulator))
      const output = new Output()
      const environment = await environmentOf(simulator)
      const { pathname } = new URL(simulator.controlUrl)
      const through = { PAYSIM_BASE_URL: proxy, PAYSIM_CONTROL_URL: proxy + pathname }
      const ending = await runCommand(
        command,
        { ...environment, ...through },
        { captured: { output, withinMs } },
      )
      return { ...ending, output: output.lines() }
    } finally {
      await simulator.stop()
    }
  }
}

function gatewayOf({ url, control }: RunningSimulator): SuiteGateway {
  return {
    url,
    contract: resolveContract(),
    accounts: async () => {
      const merchants = await control.merchants.list()
      const accounts = merchants.flatMap(merchant => merchant.accounts)
      return Promise.all(accounts.map(({ id }) => accountOf(control, id)))
    },
    fireDueTimers: account => control.account(account).clock.advance('0s'),
  }
}

async function accountOf(control: RunningSimulator['control'], id: string): Promise<SuiteAccount> {
  const keys = await control.account(id).keys.list()
  const authorizations = keys.flatMap(({ public_key, secret_key }) =>
    secret_key ? [basicAuthorization(public_key, secret_key)] : [],
  )
  return { id, authorizations }
}
