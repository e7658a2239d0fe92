import { useLive } from './use-live.ts'

type Choices = readonly (readonly [value: string, label: string])[]

/** The account's catalogue, for lists of choices. */
export function useCatalogue(account: string): { methods: Choices; currencies: Choices } {
  const { data } = useLive(
    'GET /accounts/:account/catalogue',
    { params: { account } },
    { about: ['catalogue'] },
  )
  const [methods, routes] = [data?.methods ?? [], data?.routes ?? []]
  const currencies = [...new Set(routes.map(({ currency }) => currency))].sort()
  return {
    methods: methods.map(({ code, label }) => [code, label] as const),
    currencies: currencies.map(code => [code, code] as const),
  }
}
