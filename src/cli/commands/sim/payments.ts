import type { Command } from 'commander'
import type { PaymentTrigger } from '../../../client/control-client.ts'
import {
  type ControlFlags,
  controlCommand,
  examples,
  type FailureFlags,
  failureFlags,
  failureOf,
} from '../../control/flags.ts'
import { type PageFlags, pageFlags, showPages } from '../../control/pages.ts'
import { withControl } from '../../control/session.ts'
import { showInAccountTime } from './account-time.ts'
import { fullPaymentView, paymentsView } from './payment-views.ts'

interface ListFlags extends ControlFlags, PageFlags {}

const triggers: Readonly<Record<PaymentTrigger, () => Command>> = {
  'present-action': trigger('present-action', {
    description: 'Present the next action to the payer: a processing payment becomes pending.',
  }),
  'withdraw-action': trigger('withdraw-action', {
    description: 'Withdraw the next action from the payer: a pending payment becomes processing.',
  }),
  succeed: trigger('succeed', { description: 'Make a payment succeed: the money arrives.' }),
  fail: trigger('fail', {
    description: 'Make a payment fail.',
    reason: 'code and message',
    example: '--code insufficient_funds --message "The account is empty"',
  }),
  expire: trigger('expire', { description: 'Make a payment expire: nobody paid in time.' }),
  'accept-receipt': trigger('accept-receipt', { description: 'Accept the receipt that is being checked.' }),
  'reject-receipt': trigger('reject-receipt', {
    description: 'Reject the receipt that is being checked.',
    reason: 'message',
    example: '--message "Amount is not legible"',
  }),
  'confirm-cancel': trigger('confirm-cancel', {
    description: 'Confirm the cancellation that the merchant requested.',
    reason: 'code and message',
  }),
}

export const commands = {
  list: () =>
    controlCommand(
      'sim payments list',
      command =>
        pageFlags(
          command.description(
            'List the payments of an account, newest first, including what the merchant API hides.',
          ),
        )
          .addHelpText(
            'after',
            examples('paysim sim payments', 'paysim sim payments list --all -o csv > payments.csv'),
          )
          .action((flags: ListFlags) =>
            withControl(flags, session =>
              showPages(session, flags, {
                list: page => session.account.payments.list(page),
                view: paymentsView,
              }),
            ),
          ),
      { list: true },
    ),

  show: () =>
    controlCommand('sim payments show', command =>
      command
        .description(
          'Show a payment, including what the merchant API hides: customer, route, rule, instrument.',
        )
        .argument('<id>', 'id of the payment, such as pi_123')
        .addHelpText(
          'after',
          examples(
            'paysim sim payments show pi_123',
            'paysim sim payments show pi_123 --query route.provider',
          ),
        )
        .action((id: string, flags: ControlFlags) =>
          withControl(flags, session =>
            showInAccountTime(session, session.account.payments.get(id), fullPaymentView),
          ),
        ),
    ),

  ...triggers,
}

interface TriggerHelp {
  readonly description: string
  /** What the caller can say about the reason. */
  readonly reason?: 'code and message' | 'message'
  readonly example?: string
}

function trigger(name: PaymentTrigger, { description, reason, example }: TriggerHelp): () => Command {
  const call = `paysim sim payments ${name} pi_123`
  return () =>
    controlCommand(`sim payments ${name}`, command =>
      failureFlags(
        command.description(description).argument('<id>', 'id of the payment, such as pi_123'),
        reason,
      )
        .addHelpText('after', examples(call, ...(example === undefined ? [] : [`${call} ${example}`])))
        .action((id: string, flags: ControlFlags & FailureFlags) =>
          withControl(flags, session =>
            showInAccountTime(
              session,
              session.account.payments.trigger(id, name, failureOf(flags)),
              fullPaymentView,
            ),
          ),
        ),
    )
}
