import { basename } from 'node:path'
import { type Command, Option } from 'commander'
import type { Answer, PaymentIntent } from '../../client/index.ts'
import { shellWords } from '../../contract/shell-words.ts'
import { FINAL_STATUSES } from '../../contract/statuses.ts'
import { type MerchantFlags, merchantCommand, type Session, withSession } from '../call/session.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { type KeyFlags, keyFlags, keyFor } from '../fields/request-fields.ts'
import { asCalled } from '../help-text.ts'
import { sections } from '../output/record.ts'
import { visible } from '../output/text.ts'
import { cancellationView, paymentView } from '../output/views/payment.ts'
import { whyText } from '../output/views/why.ts'
import { confirmLive } from '../prompts/confirm.ts'
import { progressBar } from '../prompts/progress-bar.ts'
import { readImage } from '../receipt-image.ts'
import { whyHere } from '../where/own-account.ts'

export const get = (): Command =>
  merchantCommand('payments get', declare =>
    declare
      .description('Show a payment: its status, its next action and its receipt.')
      .argument('<id>', 'id of the payment, such as pi_123')
      .addHelpText(
        'after',
        `
Examples:
  paysim payments get pi_123
  paysim payments get pi_123 --query status
  paysim payments get pi_123 -o json | jq .next_action`,
      )
      .action((id: string, flags: MerchantFlags) =>
        withSession(flags, async ({ client, signal, show, where }) =>
          show(await client.payments.get(id, { signal }).answer(), {
            ...paymentView,
            async human(payment, screen) {
              const why = await whyHere(where, id)
              return sections(await paymentView.human(payment, screen), why ? whyText(why, screen) : '')
            },
          }),
        ),
      ),
  )

type CancelFlags = MerchantFlags & KeyFlags

export const cancel = (): Command =>
  merchantCommand(
    'payments cancel',
    declare =>
      keyFlags(
        declare
          .description(
            'Request the cancellation of a pending payment. The provider confirms it later, or the payment ends first.',
          )
          .argument('<id>', 'id of the payment, such as pi_123'),
      )
        .addHelpText(
          'after',
          `
Examples:
  paysim payments cancel pi_123
  paysim payments cancel pi_123 --idempotency-key 6f1f7a52-3c1e-4d0c-9f4e-0a1b2c3d4e5f
  paysim payments cancel pi_123 && paysim payments wait pi_123 --until cancelled`,
        )
        .action((id: string, flags: CancelFlags) =>
          withSession(flags, async session => {
            await confirmLive(flags, session, `cancel the payment ${id}`)
            const { client, signal, show } = session
            const call = client.payments.cancel(id, { idempotencyKey: keyFor(flags), signal })
            const answer = await call.answer()
            await show(answer, cancellationView)
            suggestWait(answer.body, { flags, session, until: 'cancelled' })
          }),
        ),
    { changes: true },
  )

interface ReceiptFlags extends MerchantFlags {
  readonly file?: string
  readonly asset?: string
  readonly idempotencyKey?: string
}

export const submitReceipt = (): Command =>
  merchantCommand(
    'payments submit-receipt',
    declare =>
      declare
        .description("Submit a receipt for a bank transfer: an image of the payer's slip.")
        .argument('<id>', 'id of the payment, such as pi_123')
        .option('--file <image>', 'a JPEG or PNG image of at most 5 MiB; - means stdin')
        .addOption(new Option('--asset <id>', 'id of an image that was uploaded before').conflicts('file'))
        .addOption(
          new Option(
            '--idempotency-key <key>',
            'the server submits once per key (default: a new key, printed to stderr)',
          ).conflicts('asset'),
        )
        .addHelpText(
          'after',
          `
The command checks the image before it sends anything. If a call fails, repeat it with the same image and the same key:
the image is submitted only once. An asset needs no key, because the same asset is submitted only once anyway.

Examples:
  paysim payments submit-receipt pi_123 --file slip.jpg
  paysim payments submit-receipt pi_123 --file slip.jpg --idempotency-key 6f1f7a52-3c1e-4d0c-9f4e-0a1b2c3d4e5f
  paysim payments submit-receipt pi_123 --asset ast_123 --query receipt.status
  convert slip.heic jpg:- | paysim payments submit-receipt pi_123 --file -`,
        )
        .action((id: string, flags: ReceiptFlags) => {
          if (flags.file === undefined && flags.asset === undefined)
            throw new UsageError('the image is missing: give --file or --asset')
          if (flags.file === '-' && flags.keyFile === '-')
            throw new UsageError('--file and --key-file cannot both read stdin: give a file for one of them')
          return withSession(flags, async session =>
            session.show(await submit(id, flags, session), paymentView),
          )
        }),
    { changes: true },
  )

async function submit(id: string, flags: ReceiptFlags, session: Session): Promise<Answer<PaymentIntent>> {
  const { client, signal } = session
  const action = `submit a receipt for the payment ${id}`
  if (flags.asset !== undefined) {
    await confirmLive(flags, session, action)
    return client.payments.submitReceipt(id, { assetId: flags.asset, signal }).answer()
  }
  const path = flags.file ?? '-'
  const { bytes } = await readImage(path)
  // An image from stdin is read completely, so that a retry can send it again.
  const file = path === '-' ? bytes : path
  await confirmLive(flags, session, action)
  const bar = progressBar(path === '-' ? 'stdin' : basename(path))
  try {
    return await client.payments
      .submitReceipt(id, {
        file,
        idempotencyKey: keyFor(flags),
        onProgress: ({ sentBytes, totalBytes }) => bar.update(sentBytes, totalBytes),
        signal,
      })
      .answer()
  } finally {
    bar.clear()
  }
}

interface CallContext {
  readonly flags: MerchantFlags
  readonly session: Session
}

/** Suggests the next command on stderr, if a person reads the payment. */
export function suggestNextStep(payment: PaymentIntent, context: CallContext): void {
  if (!isReadByPerson(payment, context)) return
  const target = targetOf(context.flags)
  const lines = [waitLine(payment, target)]
  if (payment.receipt?.status === 'required') {
    const submit = ['paysim', 'payments', 'submit-receipt', payment.id, '--file', 'slip.jpg', ...target]
    lines.unshift(`to submit the payer's slip:  ${shellWords(submit)}`)
  }
  print(lines)
}

/** Suggests how to wait for the requested end. */
function suggestWait(
  payment: PaymentIntent,
  { until, ...context }: CallContext & { readonly until: string },
): void {
  if (isReadByPerson(payment, context))
    print([waitLine(payment, ['--until', until, ...targetOf(context.flags)])])
}

const isReadByPerson = ({ status }: PaymentIntent, { flags, session }: CallContext) =>
  session.printer.format === 'human' && flags.query === undefined && !FINAL_STATUSES.includes(status)

const waitLine = ({ id }: PaymentIntent, more: readonly string[]) =>
  `to wait for the end:  ${shellWords(['paysim', 'payments', 'wait', id, ...more])}`

const print = (lines: readonly string[]) =>
  process.stderr.write(asCalled(`\n${lines.map(visible).join('\n')}\n`))

/** The target options, which the next command needs too. */
function targetOf({ baseUrl, profile, account, keyFile, contract, caFile }: MerchantFlags): string[] {
  const flags = {
    '--base-url': baseUrl,
    '--profile': profile,
    '--account': account,
    '--key-file': keyFile,
    '--contract': contract,
    '--ca-file': caFile,
  }
  return Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]))
}
