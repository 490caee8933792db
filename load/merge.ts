import { verb } from "../cli/verb.ts";
export default verb({
  flags: {},
  async run() {
    return 0;
  },
});
