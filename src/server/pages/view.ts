import type { MethodEntry } from '../../domain/catalogue.ts'
import { routingTable } from '../../domain/decide/routing-table.ts'
import type { Payment } from '../../domain/model.ts'
import { type Html, html } from './html.ts'
import type { Opened } from './opening.ts'
import type { Problem } from './problem.ts'
import { bankName, methodName } from './words/catalogue.ts'

/** The data of a page. */
export interface View extends Opened {
  /** Why the last form was refused. */
  readonly problem?: Problem
}

function chosenMethod({ runtime, payment }: View): MethodEntry | undefined {
  const code = payment.route?.method
  return code === undefined
    ? undefined
    : routingTable(runtime.account.world, runtime).catalogue.methods.get(code)
}

/** The method by its label; a catalogue that lost it since leaves the code. */
export function methodShown(view: View): string | undefined {
  const method = chosenMethod(view)
  return method ? methodName(method, view.words) : view.payment.route?.method
}

/** The bank that the payer chose, else the method: it is where the payer goes. */
export function bankShown(view: View): { code: string; name: string } {
  const { payment, words } = view
  const code = payment.options.bank ?? ''
  const bank = chosenMethod(view)?.banks?.find(candidate => candidate.code === code)
  if (bank) return { code, name: bankName(bank, payment.country, words) }
  return { code, name: methodShown(view) ?? words.yourBank }
}

/** A form of this page: it is sent to where the page came from. */
export const form = ({ path }: View, act: string, inside: Html, kind: 'plain' | 'file' = 'plain'): Html =>
  html`<form method="post" action="${path}"${kind === 'file' ? html` enctype="multipart/form-data"` : ''} novalidate data-form>
<input type="hidden" name="act" value="${act}">
${inside}</form>`

export const isOpen = ({ outcome }: Payment) => outcome === null

/** The payer has sent a receipt that nobody refused: they have paid. */
export const hasSentReceipt = ({ receipt }: Payment) =>
  receipt?.status === 'processing' || receipt?.status === 'submitted'

/** It is the payer's turn: nobody who has paid, or must not pay any more, is asked to. */
export const waitsForPayer = (payment: Payment) =>
  isOpen(payment) && payment.action !== null && payment.cancelRequestedAt === null && !hasSentReceipt(payment)
