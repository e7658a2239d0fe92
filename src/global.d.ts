/** Put in by the bundler: the version of package.json. */
declare const PAYSIM_VERSION: string
