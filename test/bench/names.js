/** The id of the nth record of a store, as long as the ids that the server makes. */
export const recordName = (prefix, nth) => `${prefix}_${String(nth).padStart(24, '0')}`
