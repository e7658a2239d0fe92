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

/** Pages of a single record, at the URL of its list plus its id. */
export const RECORD_PAGES = ['payments', 'payouts', 'requests', 'webhooks'] as const
export type RecordPageName = (typeof RECORD_PAGES)[number]
