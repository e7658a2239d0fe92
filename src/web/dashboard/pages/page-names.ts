/** The pages of an account, by their names in the URL. The tests visit each of them. */
export const LIST_PAGES = [
  'overview',
  'payments',
  'payouts',
  'requests',
  'webhooks',
  'rules',
  'faults',
  'catalogue',
  'clock',
  'account',
  'nodes',
] as const
export type ListPageName = (typeof LIST_PAGES)[number]

/** How the menu shows a page: its section, its title, and the key that opens it after `g`. */
interface MenuEntry {
  readonly section: 0 | 1 | 2
  readonly title: string
  readonly key: string
}
export const MENU: Readonly<Record<ListPageName, MenuEntry>> = {
  overview: { section: 0, title: 'Overview', key: 'o' },
  payments: { section: 0, title: 'Payments', key: 'p' },
  payouts: { section: 0, title: 'Payouts', key: 'u' },
  requests: { section: 1, title: 'Requests', key: 'r' },
  webhooks: { section: 1, title: 'Webhooks', key: 'w' },
  rules: { section: 2, title: 'Rules', key: 'l' },
  faults: { section: 2, title: 'Faults', key: 'f' },
  catalogue: { section: 2, title: 'Catalogue', key: 'm' },
  clock: { section: 2, title: 'Clock', key: 'c' },
  account: { section: 2, title: 'Account', key: 'a' },
  nodes: { section: 2, title: 'Nodes', key: 'n' },
}

/** Pages of a single record, at the URL of its list plus its id. */
export const RECORD_PAGES = ['payments', 'payouts', 'requests', 'webhooks'] as const
export type RecordPageName = (typeof RECORD_PAGES)[number]
