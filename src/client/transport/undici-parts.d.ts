/** The files of undici that a plain call needs: its index loads three times as much. */
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici'
  export default Pool
}
