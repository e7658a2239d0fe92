import type { MethodEntry } from '../../domain/catalogue.ts'
import { routingTable } from '../../domain/decide/routing-table.ts'
import type { Payment } from '../../domain/model.ts'
import { type Html, html } from './html.ts'
import type { Opened } from './opening.ts'
import type { Problem } from './problem.ts'
import { bankName, methodName } from './words/catalogue.ts'

/** The data of a page. */
export interface View extends Opened {
  /** The problem of the submitted form. */
  readonly problem?: Problem
}

function chosenMethod({ runtime, payment }: View): MethodEntry | undefined {
  const code = payment.route?.method
  return code === undefined
    ? undefined
    : routingTable(runtime.account.world, runtime).catalogue.methods.get(code)
}

/** The label of the method, or its code if the catalogue no longer has it. */
export function methodShown(view: View): string | undefined {
  const method = chosenMethod(view)
  return method ? methodName(method, view.words) : view.payment.route?.method
}

/** The name of the chosen bank, otherwise that of the method. */
export function bankShown(view: View): { code: string; name: string } {
  const { payment, words } = view
  const code = payment.options.bank ?? ''
  const bank = chosenMethod(view)?.banks?.find(candidate => candidate.code === code)
  if (bank) return { code, name: bankName(bank, payment.country, words) }
  return { code, name: methodShown(view) ?? words.yourBank }
}

/** A form that is sent to the address of its page. */
export const form = ({ path }: View, act: string, inside: Html, kind: 'plain' | 'file' = 'plain'): Html =>
  html`<form method="post" action="${path}"${kind === 'file' ? html` enctype="multipart/form-data"` : ''} novalidate data-form>
<input type="hidden" name="act" value="${act}">
${inside}</form>`

export const isOpen = ({ outcome }: Payment) => outcome === null

/** Whether the payer has sent a receipt that was not rejected, and so has paid. */
export const hasSentReceipt = ({ receipt }: Payment) =>
  receipt?.status === 'processing' || receipt?.status === 'submitted'

/** Whether the payer must act now. */
export const waitsForPayer = (payment: Payment) =>
  isOpen(payment) && payment.action !== null && payment.cancelRequestedAt === null && !hasSentReceipt(payment)
