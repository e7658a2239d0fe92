/** The pages of an account, by the part of the address that opens them. The tests visit each of them. */
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
] as const
export type ListPageName = (typeof LIST_PAGES)[number]

/** The pages of one record, at the address of its list and its id. */
export const RECORD_PAGES = ['payments', 'payouts', 'requests', 'webhooks'] as const
export type RecordPageName = (typeof RECORD_PAGES)[number]
