/** Records as they come, as text: what comes before, between and after them belongs to it. */
export interface Sheet {
  rows(values: readonly unknown[]): string
  end(): string
}

/** One way to write data down. Every text of it ends its last line. */
export interface Form {
  whole(value: unknown): string
  sheet(): Sheet
}
