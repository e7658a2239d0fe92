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

const THAI_BANKS: ReadonlyMap<string, string> = new Map([
  ['bbl', 'ธนาคารกรุงเทพ'],
  ['kbank', 'ธนาคารกสิกรไทย'],
  ['scb', 'ธนาคารไทยพาณิชย์'],
  ['ktb', 'ธนาคารกรุงไทย'],
  ['bay', 'ธนาคารกรุงศรีอยุธยา'],
  ['ttb', 'ธนาคารทหารไทยธนชาต'],
  ['gsb', 'ธนาคารออมสิน'],
  ['baac', 'ธนาคารเพื่อการเกษตรและสหกรณ์การเกษตร'],
  ['ghb', 'ธนาคารอาคารสงเคราะห์'],
  ['tisco', 'ธนาคารทิสโก้'],
  ['kkp', 'ธนาคารเกียรตินาคินภัทร'],
  ['lhb', 'ธนาคารแลนด์ แอนด์ เฮ้าส์'],
  ['cimbt', 'ธนาคารซีไอเอ็มบี ไทย'],
  ['uobt', 'ธนาคารยูโอบี'],
  ['icbct', 'ธนาคารไอซีบีซี (ไทย)'],
  ['ibank', 'ธนาคารอิสลามแห่งประเทศไทย'],
])

interface NamedBank {
  readonly code: string
  readonly label: string
  readonly name_th?: string
}

export const methodName = ({ label }: { label: string }, { lang }: Words): string =>
  (lang === 'th' ? METHODS.get(label) : undefined) ?? label

const thaiName = ({ code, name_th }: NamedBank, country: string): string | undefined =>
  name_th ?? (country === 'TH' ? THAI_BANKS.get(code) : undefined)

/** In the language of the page. */
export const bankName = (bank: NamedBank, country: string, { lang }: Words): string =>
  (lang === 'th' ? thaiName(bank, country) : undefined) ?? bank.label

/** In both scripts, so that a bank is found by either; the page's own comes first. */
export function bankNames(bank: NamedBank, country: string, { lang }: Words): string {
  const thai = thaiName(bank, country)
  if (thai === undefined) return bank.label
  return lang === 'th' ? `${thai} · ${bank.label}` : `${bank.label} · ${thai}`
}
