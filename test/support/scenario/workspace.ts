import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { runCommand } from '../cli/run-command.ts'

/** A command without the paysim variables of the environment of the tests. */
export const paysim = (args: string[], env: Record<string, string> = {}) => {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('PAYSIM_'))
  return runCommand(args, { cwd: process.cwd(), env: { ...Object.fromEntries(others), ...env } })
}

/** A folder for one test. */
export async function workspace(files: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'paysim-scenario-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const at = (name: string) => join(folder, name)
  for (const [name, text] of Object.entries(files)) await writeFile(at(name), text)
  return { folder, at, read: (name: string) => readFile(at(name), 'utf8') }
}

/** A scenario that runs on any gateway with a PromptPay route. */
export const GOOD = `paysim: 1
name: A payment & its <reading>
steps:
  - create payment: { amount: "9900", currency: THB, country: TH, checkout_mode: merchant, payment_method: th_promptpay, merchant_reference: order-1, customer: {} }
    as: payment
  - get payment: \${payment.id}
    expect: { same as: payment }
  - wait for payment: \${payment.id}
    is: { status: pending }
`
export const BAD = `${GOOD.replace('A payment & its <reading>', 'A payment that is not so')}  - expect payment: \${payment.id}
    is: { status: succeeded }
`
