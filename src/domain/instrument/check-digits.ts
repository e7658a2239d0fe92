/** The digit that makes a card-like number pass the Luhn test. */
export function luhnDigit(digits: string): string {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const doubled = i % 2 === 0 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return String((10 - (sum % 10)) % 10)
}

/** The thirteenth digit of a Thai citizen or tax identifier: weights 13 down to 2, modulo 11. */
export function thaiTaxDigit(twelveDigits: string): string {
  let sum = 0
  for (let i = 0; i < 12; i++) sum += Number(twelveDigits[i]) * (13 - i)
  return String((11 - (sum % 11)) % 10)
}
