/**
 * What would act on a terminal instead of being shown: controls of both sets, line breaks that only Unicode knows, and
 * marks that turn the direction of writing. A merchant's reference is written by others, and must not repaint the screen.
 */
const ACTING = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
/** The same but for what makes text of several lines. */
const ACTING_IN_LINES = new RegExp(`(?!\\t|\\r?\\n)${ACTING.source}`, 'gu')

const spelled = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** On one line, with the escapes of JSON for what does not belong on it. */
export const visible = (text: string): string => text.replace(ACTING, spelled)

/** Whole lines, fit for a terminal. Where the text is JSON it is still, and says the same. */
export const visibleLines = (text: string): string => text.replace(ACTING_IN_LINES, spelled)
