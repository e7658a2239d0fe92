export const FORMATS = ['human', 'json', 'jsonl', 'yaml', 'csv'] as const
export type Format = (typeof FORMATS)[number]
