import type { Command } from 'commander'
import { type ControlClient, ControlError } from '../../../client/control-client.ts'
import { type ControlFlags, controlCommand } from '../../control/flags.ts'
import { type ControlSession, withControl } from '../../control/session.ts'
import { type AccountStatus, type SimStatus, statusView } from './views/status.ts'

export const command = (): Command =>
  controlCommand(
    'sim status',
    declare =>
      declare
        .description('Shows where a simulator is, whether it is ready, and its accounts with their clocks.')
        .addHelpText(
          'after',
          `
Examples:
  paysim sim status
  PAYSIM_DATA=/tmp/shop paysim sim status -o json`,
        )
        .action((flags: ControlFlags) =>
          withControl(flags, async session =>
            session.printer.show({ body: await statusOf(session) }, statusView),
          ),
        ),
    // Several calls make this one: there is no one answer whose headers could be shown.
    { account: false, headers: false },
  )

async function statusOf({ control, target }: ControlSession): Promise<SimStatus> {
  const { status: health } = await control.health()
  return {
    control_url: target.controlUrl,
    url: target.url ?? null,
    found: target.from.controlUrl,
    health,
    ready: await isReady(control),
    accounts: await accountsOf(control),
  }
}

async function isReady(control: ControlClient): Promise<boolean> {
  try {
    await control.ready()
    return true
  } catch (error) {
    if (error instanceof ControlError && error.status === 503) return false
    throw error
  }
}

async function accountsOf(control: ControlClient): Promise<AccountStatus[]> {
  const all: AccountStatus[] = []
  for (const { accounts } of await control.merchants.list()) {
    const clocks = await Promise.all(accounts.map(({ id }) => control.account(id).clock.get()))
    accounts.forEach(({ id, environment, public_key }, at) => {
      const clock = clocks[at]
      if (clock) all.push({ id, environment, public_key, clock })
    })
  }
  return all
}
