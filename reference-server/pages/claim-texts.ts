import type { Language } from "../../generated/contract.ts";

/** The texts of the claim page. */
export interface ClaimTexts {
  title: string;
  lead: string;
  steps: [string, string];
  claimCode: string;
  claimCodeHint: string;
  email: string;
  emailHint: string;
  send: string;
  code: string;
  codeHint: (email: string) => string;
  verify: string;
  again: string;
  other: string;
  problem: string;
  blocked: string;
  doneTitle: string;
  done: (email: string) => string;
  doneHint: string;
  tooMany: (seconds: number) => string;
  failed: string;
  otherLanguage: string;
}

export const claimTexts: Readonly<Record<Language, ClaimTexts>> = {
  en: {
    title: "Claim a trial agent",
    lead: "Make the trial account of your agent yours. Its API key stays the same.",
    steps: ["Your agent and you", "The mailed code"],
    claimCode: "Claim code",
    claimCodeHint: "Your agent received it when it registered.",
    email: "E-mail address",
    emailHint: "The account will belong to it. We send a code of six digits to it.",
    send: "Send me a code",
    code: "Code of six digits",
    codeHint: (email) => `We sent it to ${email}. It works once, within 10 minutes.`,
    verify: "Claim the account",
    again: "Send another code",
    other: "Use another address",
    problem: "There is a problem",
    blocked: "The claim cannot go on",
    doneTitle: "The account is yours",
    done: (email) => `It now belongs to ${email}.`,
    doneHint: "The API key of your agent stays active; there is nothing to change in the agent.",
    tooMany: (seconds) => `Too many requests from your address. Try again in ${seconds} seconds.`,
    failed: "The code could not be sent. Try again in a moment.",
    otherLanguage: "中文",
  },
  zh: {
    title: "认领试用代理",
    lead: "将代理的试用账户转为您的正式账户，API 密钥保持不变。",
    steps: ["认领码与邮箱", "邮件中的验证码"],
    claimCode: "认领码",
    claimCodeHint: "代理注册时收到的认领码。",
    email: "邮箱地址",
    emailHint: "账户将归属于此邮箱，我们会向其发送 6 位验证码。",
    send: "发送验证码",
    code: "6 位验证码",
    codeHint: (email) => `已发送至 ${email}，10 分钟内有效，仅可使用一次。`,
    verify: "认领账户",
    again: "重新发送验证码",
    other: "更换邮箱",
    problem: "出现问题",
    blocked: "无法继续认领",
    doneTitle: "认领成功",
    done: (email) => `账户现已归属于 ${email}。`,
    doneHint: "代理的 API 密钥继续有效，无需修改代理的任何配置。",
    tooMany: (seconds) => `您的请求过于频繁，请在 ${seconds} 秒后重试。`,
    failed: "验证码发送失败，请稍后重试。",
    otherLanguage: "English",
  },
};
