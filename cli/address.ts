/**
 * A URL without user, password, query and fragment, which a base address never needs and which may hold a secret: a
 * client of this API sends its key in a header.
 */
export const bareAddress = (address: string): string =>
  address.replace(/^([a-z][a-z\d+.-]*:\/\/)[^\s/?#]*@/i, "$1").replace(/[?#].*$/s, "");
