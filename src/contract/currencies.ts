// ISO 4217, list one. Money stays a string of digits: an amount may be longer than any number type holds.

/** Digits after the decimal mark, for the currencies where it is not two. */
const EXPONENTS: ReadonlyMap<string, number> = new Map([
  ...exponentOfEach(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...exponentOfEach(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...exponentOfEach(4, 'CLF UYW'),
])

function exponentOfEach(exponent: number, currencies: string): [string, number][] {
  return currencies.split(' ').map(currency => [currency, exponent])
}

/** Every active currency, since a QR payload for any country has to name its currency by number. */
const NUMERIC_CODES: ReadonlyMap<string, string> = new Map(
  `AED784 AFN971 ALL008 AMD051 AOA973 ARS032 AUD036 AWG533 AZN944 BAM977 BBD052 BDT050 BGN975 BHD048 BIF108
  BMD060 BND096 BOB068 BOV984 BRL986 BSD044 BTN064 BWP072 BYN933 BZD084 CAD124 CDF976 CHE947 CHF756 CHW948
  CLF990 CLP152 CNY156 COP170 COU970 CRC188 CUP192 CVE132 CZK203 DJF262 DKK208 DOP214 DZD012 EGP818 ERN232
  ETB230 EUR978 FJD242 FKP238 GBP826 GEL981 GHS936 GIP292 GMD270 GNF324 GTQ320 GYD328 HKD344 HNL340 HTG332
  HUF348 IDR360 ILS376 INR356 IQD368 IRR364 ISK352 JMD388 JOD400 JPY392 KES404 KGS417 KHR116 KMF174 KPW408
  KRW410 KWD414 KYD136 KZT398 LAK418 LBP422 LKR144 LRD430 LSL426 LYD434 MAD504 MDL498 MGA969 MKD807 MMK104
  MNT496 MOP446 MRU929 MUR480 MVR462 MWK454 MXN484 MXV979 MYR458 MZN943 NAD516 NGN566 NIO558 NOK578 NPR524
  NZD554 OMR512 PAB590 PEN604 PGK598 PHP608 PKR586 PLN985 PYG600 QAR634 RON946 RSD941 RUB643 RWF646 SAR682
  SBD090 SCR690 SDG938 SEK752 SGD702 SHP654 SLE925 SOS706 SRD968 SSP728 STN930 SVC222 SYP760 SZL748 THB764
  TJS972 TMT934 TND788 TOP776 TRY949 TTD780 TWD901 TZS834 UAH980 UGX800 USD840 USN997 UYI940 UYU858 UYW927
  UZS860 VED926 VES928 VND704 VUV548 WST882 XAF950 XCD951 XCG532 XOF952 XPF953 YER886 ZAR710 ZMW967 ZWG924`
    .split(/\s+/)
    .map(entry => [entry.slice(0, 3), entry.slice(3)]),
)

export function exponentOf(currency: string): number {
  return EXPONENTS.get(currency) ?? 2
}

/** The three-digit ISO 4217 number; undefined for a code that ISO does not list. */
export function numericCodeOf(currency: string): string | undefined {
  return NUMERIC_CODES.get(currency)
}

/** Minor units as a plain decimal string: ('123450', 'THB') is '1234.50', ('5000', 'VND') is '5000'. */
export function formatMinor(amount: string, currency: string): string {
  const exponent = exponentOf(currency)
  if (exponent === 0) return amount
  const digits = amount.padStart(exponent + 1, '0')
  return `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
}

/** ISO 3166-1 alpha-2: the 249 officially assigned codes. Reserved and user-assigned ones (EU, UK, XK) are not. */
export const COUNTRIES: readonly string[] =
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
  CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO
  FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE
  JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO
  MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW
  PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM
  TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/)
const ASSIGNED: ReadonlySet<string> = new Set(COUNTRIES)

export function isCountry(code: string): boolean {
  return ASSIGNED.has(code)
}
