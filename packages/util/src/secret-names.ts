/** Whether a variable's name suggests that its value is a secret. `PWD` alone is the working directory. */
export function looksSecret(name: string): boolean {
  return SECRET_NAME.test(name) && !/(?:^|_)(?:FILE|PATH|DIR)$/i.test(name);
}

const SECRET_NAME =
  /(?:^|_)(?:\w*KEY|\w*TOKEN|\w*SECRET|\w*PASSWORD|\w*PASSWD|\w*PASSPHRASE|\w*PASS|\w*CREDENTIALS?|COOKIE|DSN|CONNECTION_?STRING|WEBHOOK)(?:_|$)|(?:^|_)\w*AUTH$|\w_PWD$/i;
