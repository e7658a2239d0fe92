/** One data object: two digits of ID, two of length, the value. A template is a value made of data objects. */
export function field(id: string, value: string): string {
  // A longer value would shift everything after it, and a payment app would read another payment.
  if (value.length === 0 || value.length > 99) throw new RangeError(`tag ${id}: ${value.length} characters`)
  return id + String(value.length).padStart(2, '0') + value
}
