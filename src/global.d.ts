/** The version in package.json, inserted by the bundler. */
declare const PAYSIM_VERSION: string
