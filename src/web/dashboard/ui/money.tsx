import { moneyText } from '../format/money.ts'

export function Money({ amount, currency }: { amount: string; currency: string }) {
  return (
    <span class="money">
      {moneyText(amount, currency)} <span class="currency">{currency}</span>
    </span>
  )
}
