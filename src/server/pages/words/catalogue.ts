import { type NamedBank, thaiNameOf } from './banks.ts'
import type { Words } from './en.ts'

/** Thai names for the default catalogue, which has names in Latin letters. A name in the catalogue itself wins. */

const METHODS: ReadonlyMap<string, string> = new Map([
  ['Thai bank transfer', 'โอนเงินผ่านธนาคาร'],
  ['PromptPay QR', 'พร้อมเพย์ (คิวอาร์โค้ด)'],
  ['Thai mobile banking', 'แอปธนาคารบนมือถือ'],
  ['Thai internet banking', 'อินเทอร์เน็ตแบงก์กิ้ง'],
  ['Transfer from your own bank account', 'โอนจากบัญชีธนาคารของคุณเอง'],
  ['Transfer to an account made for this payment', 'โอนเข้าบัญชีเฉพาะสำหรับรายการนี้'],
  ['Test QR payment', 'คิวอาร์โค้ดสำหรับทดสอบ'],
])

export const methodName = ({ label }: { label: string }, { lang }: Words): string =>
  (lang === 'th' ? METHODS.get(label) : undefined) ?? label

/** The name of a bank in the language of the page. */
export const bankName = (bank: NamedBank, country: string, { lang }: Words): string =>
  (lang === 'th' ? thaiNameOf(bank, country) : undefined) ?? bank.label

/** The names of a bank in both scripts, so that a payer can type either. The page's own script comes first. */
export function bankNames(bank: NamedBank, country: string, { lang }: Words): string {
  const thai = thaiNameOf(bank, country)
  if (thai === undefined) return bank.label
  return lang === 'th' ? `${thai} · ${bank.label}` : `${bank.label} · ${thai}`
}
