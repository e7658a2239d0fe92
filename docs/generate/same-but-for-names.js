/**
 * Differences that another run, another port or one more journal entry may cause, and that do not matter to a reader.
 */
const NAMES = [
  [/\b(pi|po|evt|ast|we|dlv|req|pk_test|pk_live|sk_test|sk_live|whsec)_[A-Za-z0-9+/=]+/g, '$1_'],
  [
    /"(qr_data|qr_image_data_url|reference|number|next_cursor|webhook-timestamp|webhook-signature)": "[^"]*"/g,
    '"$1"',
  ],
  [/(signature=)[\w-]+/g, '$1'],
  [/"(ms|pid)": [\d.]+/g, '"$1"'],
  [/\b[0-9a-f]{64}\b/g, 'digest'],
  [/\b20\d\d-\d\d-\d\dT[\d:.]+Z/g, 'time'],
  [/(expires=|"(accountAt|wallAt|expiresAt|dueAt)": )\d+/g, '$1'],
]

export function sameButForNames(a, b) {
  return withoutNames(a) === withoutNames(b)
}

const withoutNames = text => NAMES.reduce((rest, [pattern, name]) => rest.replace(pattern, name), text)
