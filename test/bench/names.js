/** The id of the nth record, as long as the ids of the server. */
export const recordName = (prefix, nth) => `${prefix}_${String(nth).padStart(24, '0')}`
