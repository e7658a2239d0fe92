import { type NamedBank, thaiNameOf } from './banks.ts'
import type { Words } from './en.ts'

/** Thai names of what the catalogue that ships names in Latin letters. A name that a catalogue gives itself wins. */

const METHODS: ReadonlyMap<string, string> = new Map([
  ['Thai bank transfer', 'โอนเงินผ่านธนาคาร'],
  ['PromptPay QR', 'พร้อมเพย์ คิวอาร์'],
  ['Thai mobile banking', 'โมบายแบงก์กิ้ง'],
  ['Thai internet banking', 'อินเทอร์เน็ตแบงก์กิ้ง'],
  ['Transfer from a named Thai account', 'โอนจากบัญชีที่ระบุชื่อ'],
  ['Thai account opened on request', 'บัญชีเฉพาะสำหรับรายการนี้'],
  ['Test QR payment', 'คิวอาร์ทดสอบ'],
])

export const methodName = ({ label }: { label: string }, { lang }: Words): string =>
  (lang === 'th' ? METHODS.get(label) : undefined) ?? label

/** In the language of the page. */
export const bankName = (bank: NamedBank, country: string, { lang }: Words): string =>
  (lang === 'th' ? thaiNameOf(bank, country) : undefined) ?? bank.label

/** In both scripts, so that a bank is found by either; the page's own comes first. */
export function bankNames(bank: NamedBank, country: string, { lang }: Words): string {
  const thai = thaiNameOf(bank, country)
  if (thai === undefined) return bank.label
  return lang === 'th' ? `${thai} · ${bank.label}` : `${bank.label} · ${thai}`
}
