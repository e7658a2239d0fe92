/** After how many entries the changes since the last checkpoint are written. */
export const ENTRIES_A_CHECKPOINT = 16_384
/** Or after so many bytes of them. */
export const BYTES_A_CHECKPOINT = 64 * 1024 * 1024
/** From this size on, the journal's file becomes a segment when its entries are in a checkpoint. */
export const SEGMENT_BYTES = 4 * 1024 * 1024
