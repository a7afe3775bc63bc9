// Files of undici that its own declarations do not name; what they hold is what its entry exports under these names.
declare module "undici/lib/dispatcher/client.js" {
  const Client: typeof import("undici").Client;
  export default Client;
}

declare module "undici/lib/core/connect.js" {
  const buildConnector: typeof import("undici").buildConnector;
  export default buildConnector;
}

declare module "undici/lib/core/errors.js" {
  const errors: typeof import("undici").errors;
  export default errors;
}
