import type { Language } from "../../generated/contract.ts";

type Localized = Readonly<Record<Language, string>>;

/** Why a claim is refused, for the API and, in both languages, for the claim page. */
export const claimReasons = {
  notAnAddress: {
    en: "This is not an e-mail address such as name@example.com.",
    zh: "这不是有效的邮箱地址，正确格式如 name@example.com。",
  },
  blocked: {
    en: "A risk check does not let this claim go on with this e-mail address.",
    zh: "风险检查未通过，无法使用此邮箱继续认领。",
  },
  emailRefused: {
    en: "This claim cannot go on with this e-mail address.",
    zh: "无法使用此邮箱继续认领。",
  },
  tooManyMails: {
    en: "As many codes were mailed for this claim as are allowed; no more are sent.",
    zh: "此认领的验证码邮件已达上限，不再发送。",
  },
  inboxFull: {
    en: "This e-mail address has received as many codes as it may for now. Try again in an hour.",
    zh: "此邮箱收到的验证码已达上限，请一小时后再试。",
  },
  unknownClaimCode: {
    en: "This claim code is unknown. It is part of the answer to the registration.",
    zh: "认领码不存在。认领码包含在注册时返回的结果中。",
  },
  claimed: { en: "This claim code was already used.", zh: "此认领码已被使用。" },
  accountClosed: {
    en: "The account is closed. The operator of the service can help.",
    zh: "该账户已关闭。请联系服务运营方。",
  },
  claimExpired: { en: "This claim code has expired.", zh: "此认领码已过期。" },
  closed: {
    en: "Too many wrong codes were given: this claim is closed. The operator of the service can help.",
    zh: "错误次数过多，此认领已关闭。请联系服务运营方。",
  },
  notStarted: {
    en: "No code was mailed for this claim yet: start the claim first.",
    zh: "尚未为此认领发送验证码，请先开始认领。",
  },
  anotherAddress: {
    en: "The code was mailed to another address than this one.",
    zh: "验证码发送到了另一个邮箱。",
  },
  codeExpired: {
    en: "The code has expired: start the claim again for a new one.",
    zh: "验证码已过期，请重新获取。",
  },
} as const satisfies Record<string, Localized>;

/** A wrong code, with the number of tries left; at least 1. */
export const wrongCode = (left: number): Localized => ({
  en: left === 1 ? "The code is wrong; 1 more try." : `The code is wrong; ${left} more tries.`,
  zh: `验证码错误，还可尝试 ${left} 次。`,
});

/** A reason of the API in Chinese; any other text unchanged. */
export function reasonInChinese(reason: string): string {
  const tries = Number(/^The code is wrong; (\d+) /.exec(reason)?.[1] ?? 0);
  if (tries > 0) return wrongCode(tries).zh;
  return Object.values(claimReasons).find(({ en }) => en === reason)?.zh ?? reason;
}
