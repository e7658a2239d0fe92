import type { Command } from 'commander'
import { type MerchantFlags, merchantCommand } from '../../call/merchant-command.ts'
import { withSession } from '../../call/session.ts'
import { UsageError } from '../../errors/usage-error.ts'
import { buildRequest } from '../../fields/build-request.ts'
import type { TypedFlags } from '../../fields/equivalent-command.ts'
import { type FieldFlags, fieldFlags } from '../../fields/field-flags.ts'
import { type KeyFlags, keyFlags } from '../../fields/idempotency-key.ts'
import { createPayment } from './create-payment.ts'

type CreateFlags = MerchantFlags & FieldFlags & KeyFlags

export const command = (): Command => {
  const typed: (readonly [string, string?])[] = []
  return recorded(
    typed,
    merchantCommand(
      'payments create',
      declare =>
        keyFlags(
          fieldFlags(declare.description('Creates a payment. On a terminal, it asks for what is missing.')),
        )
          .addHelpText('after', MORE)
          .action((flags: CreateFlags) => create(flags, typed)),
      { changes: true },
    ),
  )
}

const MORE = `
Flags win over --data; of several --data, JSON on the command line wins over files, and files over stdin.
--set changes one member of all that, and is a fault where it matches nothing. Members that the interface does not
have are sent as they are. Digits alone are minor units; an amount with its currency is converted, and said so.

Examples:
  paysim payments create
  paysim payments create --amount '1,234.50 THB' --country TH --merchant-reference order-1 \\
    --return-url https://shop.example/thanks
  paysim payments create --amount 10000 --currency THB --country TH --checkout-mode merchant \\
    --payment-method th_promptpay --merchant-reference order-2
  paysim payments create --data @order.json --option bank=bbl --customer-name 'Somchai Jaidee'
  jq .payment order.json | paysim payments create --data - --query next_action.url`

/** Notes what is typed, as it is typed: the command is told again once the questions are answered. */
function recorded(typed: (readonly [string, string?])[], command: Command): Command {
  for (const { long } of command.options)
    if (long)
      command.on(`option:${long.slice(2)}`, (value?: string | null) => {
        typed.push(value == null ? [long] : [long, value])
      })
  return command
}

async function create(flags: CreateFlags, typed: TypedFlags): Promise<void> {
  if (flags.keyFile === '-' && flags.data?.some(source => source === '-' || source === '@-'))
    throw new UsageError('--data - and --key-file - both read stdin, which is read once')
  const { body, notes } = await buildRequest(flags)
  for (const note of notes) process.stderr.write(`${note}\n`)
  await withSession(flags, session => createPayment(body, { flags, session, typed }))
}
