/** Other names of banks, by country: a catalogue has one name for each bank, but people use several. */

interface KnownBank {
  /** The codes of the bank in catalogues. */
  readonly codes: readonly string[]
  readonly name: string
  readonly thai?: string
  /** Short names, names of apps, and names in the local language. */
  readonly also: readonly string[]
}

/** Codes, name and other names, each a comma-separated list, so that the table has one line for each bank. */
const bank = (codes: string, name: string, also: string, thai?: string): KnownBank => ({
  codes: codes.split(', '),
  name,
  also: also === '' ? [] : also.split(', '),
  ...(thai === undefined ? {} : { thai }),
})

const BANKS: Readonly<Record<string, readonly KnownBank[]>> = {
  TH: [
    bank('bbl', 'Bangkok Bank', 'Bualuang, บัวหลวง, แบงก์กรุงเทพ, บีบีแอล', 'ธนาคารกรุงเทพ'),
    bank('kbank', 'Kasikornbank', 'K Bank, K PLUS, Kasikorn Bank, กสิกร, เคแบงก์, เคพลัส', 'ธนาคารกสิกรไทย'),
    bank('scb', 'Siam Commercial Bank', 'SCB EASY, เอสซีบี, ไทยพาณิชย์', 'ธนาคารไทยพาณิชย์'),
    bank('ktb', 'Krungthai Bank', 'Krung Thai, Krungthai NEXT, เคทีบี, กรุงไทย', 'ธนาคารกรุงไทย'),
    bank('bay', 'Bank of Ayudhya', 'Krungsri, KMA, Ayutthaya, กรุงศรี, อยุธยา', 'ธนาคารกรุงศรีอยุธยา'),
    bank('ttb', 'TMBThanachart Bank', 'TMB, Thanachart, ทีทีบี, ทีเอ็มบี, ทหารไทย, ธนชาต', 'ธนาคารทหารไทยธนชาต'),
    bank('gsb', 'Government Savings Bank', 'MyMo, ออมสิน, มายโม, จีเอสบี', 'ธนาคารออมสิน'),
    bank(
      'baac',
      'Bank for Agriculture and Agricultural Cooperatives',
      'ธ.ก.ส., เกษตร, BAAC Mobile',
      'ธนาคารเพื่อการเกษตรและสหกรณ์การเกษตร',
    ),
    bank('ghb', 'Government Housing Bank', 'GH Bank, ธ.อ.ส., อาคารสงเคราะห์', 'ธนาคารอาคารสงเคราะห์'),
    bank('tisco', 'TISCO Bank', 'ทิสโก้', 'ธนาคารทิสโก้'),
    bank('kkp', 'Kiatnakin Phatra Bank', 'Kiatnakin, Phatra, เกียรตินาคิน, ภัทร, เคเคพี', 'ธนาคารเกียรตินาคินภัทร'),
    bank('lhb', 'Land and Houses Bank', 'LH Bank, แอลเอช แบงก์', 'ธนาคารแลนด์ แอนด์ เฮ้าส์'),
    bank('cimbt, cimb', 'CIMB Thai', 'CIMB, ซีไอเอ็มบี', 'ธนาคารซีไอเอ็มบี ไทย'),
    bank('uobt, uob', 'United Overseas Bank', 'UOB, UOB TMRW, ยูโอบี', 'ธนาคารยูโอบี'),
    bank('icbct, icbc', 'ICBC (Thai)', 'ICBC, ไอซีบีซี', 'ธนาคารไอซีบีซี (ไทย)'),
    bank('ibank, isbt', 'Islamic Bank of Thailand', 'ไอแบงก์, อิสลาม', 'ธนาคารอิสลามแห่งประเทศไทย'),
    bank('tcrb, tcd', 'Thai Credit Bank', 'ไทยเครดิต', 'ธนาคารไทยเครดิต'),
    bank('scbt', 'Standard Chartered Bank', 'สแตนดาร์ดชาร์เตอร์ด', 'ธนาคารสแตนดาร์ดชาร์เตอร์ด (ไทย)'),
  ],
  VN: [
    bank('vcb', 'Vietcombank', 'VCB Digibank, Ngoại thương'),
    bank('ctg, icb, vietinbank', 'VietinBank', 'VTB, iPay, Công thương'),
    bank('bidv', 'BIDV', 'SmartBanking, Đầu tư và Phát triển'),
    bank('agribank, vba', 'Agribank', 'VBARD, AGR, Nông nghiệp'),
    bank('tcb', 'Techcombank', 'Techcom, Kỹ thương'),
    bank('mbb, mb', 'MB Bank', 'Military Bank, Quân đội'),
    bank('acb', 'Asia Commercial Bank', 'Á Châu'),
    bank('vpb', 'VPBank', 'VPBank NEO, Việt Nam Thịnh Vượng'),
    bank('tpb', 'TPBank', 'Tien Phong Bank, Tiên Phong'),
    bank('stb', 'Sacombank', 'Sacombank Pay, Sài Gòn Thương Tín'),
    bank('hdb', 'HDBank', 'Phát triển TP.HCM'),
    bank('vib', 'VIB', 'MyVIB, Quốc tế'),
    bank('shb', 'SHB', 'Sài Gòn Hà Nội'),
    bank('eib', 'Eximbank', 'Xuất nhập khẩu'),
    bank('msb', 'MSB', 'Maritime Bank, Hàng hải'),
    bank('ocb', 'OCB', 'OCB OMNI, Phương Đông'),
    bank('seab, ssb', 'SeABank', 'Đông Nam Á'),
    bank('scb', 'Saigon Commercial Bank', 'SCB, Sài Gòn'),
  ],
  ID: [
    bank('bca', 'Bank Central Asia', 'KlikBCA, myBCA, BCA mobile'),
    bank('mandiri', 'Bank Mandiri', 'BMRI, Livin'),
    bank('bri', 'Bank Rakyat Indonesia', 'BRImo, BBRI'),
    bank('bni', 'Bank Negara Indonesia', 'BNI 46, BBNI, wondr'),
    bank('bsi', 'Bank Syariah Indonesia', 'BSI Mobile, BYOND, BRIS'),
    bank('permata', 'PermataBank', 'Bank Permata, PermataMobile X'),
    bank('cimb_niaga, cimb', 'CIMB Niaga', 'CIMB, OCTO Mobile'),
    bank('danamon, bdi', 'Bank Danamon', 'D-Bank'),
    bank('btn', 'Bank Tabungan Negara', 'BTN Mobile, Bale'),
    bank('maybank', 'Maybank Indonesia', 'BII, M2U'),
    bank('ocbc, ocbc_nisp', 'OCBC', 'NISP, OCBC NISP'),
    bank('jago', 'Bank Jago', ''),
    bank('panin', 'Panin Bank', ''),
    bank('sinarmas', 'Bank Sinarmas', 'SimobiPlus'),
    bank('seabank', 'SeaBank', ''),
  ],
  PH: [
    bank('bdo', 'BDO Unibank', 'Banco de Oro'),
    bank('bpi', 'Bank of the Philippine Islands', 'BPI Online'),
    bank('metrobank, mbtc', 'Metrobank', 'Metropolitan Bank and Trust'),
    bank('landbank, lbp', 'Land Bank of the Philippines', 'LandBank'),
    bank('pnb', 'Philippine National Bank', 'PNB Digital'),
    bank('unionbank, ubp', 'UnionBank of the Philippines', 'Union Bank'),
    bank('rcbc', 'RCBC', 'Rizal Commercial Banking Corporation, Pulz'),
    bank('security_bank, secb, sbc', 'Security Bank', ''),
    bank('chinabank, cbc', 'China Bank', 'Chinabank, China Banking Corporation'),
    bank('eastwest, ewb', 'EastWest Bank', 'East West'),
    bank('psbank', 'PSBank', 'Philippine Savings Bank'),
    bank('dbp', 'Development Bank of the Philippines', ''),
    bank('aub', 'Asia United Bank', ''),
  ],
  MY: [
    bank('maybank, mbb', 'Maybank', 'Maybank2U, M2U, MAE, Malayan Banking'),
    bank('cimb', 'CIMB', 'CIMB Clicks, CIMB OCTO'),
    bank('public_bank, pbb', 'Public Bank', 'PBe, PB engage'),
    bank('rhb', 'RHB Bank', 'RHB Now'),
    bank('hong_leong, hlb', 'Hong Leong Bank', 'HLBB, HLB Connect'),
    bank('ambank, ambb', 'AmBank', 'AmOnline, Arab-Malaysian'),
    bank('bank_islam, bimb', 'Bank Islam', 'GO by Bank Islam'),
    bank('bsn', 'Bank Simpanan Nasional', 'myBSN'),
    bank('affin, affin_bank', 'Affin Bank', 'AffinAlways'),
    bank('alliance, alliance_bank', 'Alliance Bank', 'allianceonline'),
    bank('bank_rakyat', 'Bank Rakyat', 'iRakyat'),
    bank('muamalat, bank_muamalat', 'Bank Muamalat', 'BMMB'),
    bank('agro, agrobank', 'Agrobank', 'Bank Pertanian'),
    bank('ocbc', 'OCBC Bank', ''),
    bank('uob', 'UOB', 'United Overseas Bank'),
    bank('hsbc', 'HSBC', ''),
    bank('scb, standard_chartered', 'Standard Chartered', ''),
  ],
}

export interface NamedBank {
  readonly code: string
  readonly label: string
  readonly name_th?: string
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

/** Finds a bank by its code, or by its name if a catalogue uses other codes. */
function knownBank({ code, label }: NamedBank, country: string): KnownBank | undefined {
  const banks = BANKS[country] ?? []
  return (
    banks.find(({ codes }) => codes.some(known => same(known, code))) ??
    banks.find(({ name, codes }) => same(name, label) || codes.some(known => same(known, label)))
  )
}

/** A name in the catalogue itself wins. */
export const thaiNameOf = (bank: NamedBank, country: string): string | undefined =>
  bank.name_th ?? knownBank(bank, country)?.thai

/** Everything that a payer may type to find a bank, besides the names that are shown. */
export function wordsForBank(bank: NamedBank, country: string): readonly string[] {
  const known = knownBank(bank, country)
  return [bank.code, ...(known ? [...known.codes, known.name, ...known.also] : [])]
}
