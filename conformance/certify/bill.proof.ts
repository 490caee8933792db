import { bills, proveBills } from "./bill.fixture.ts";

proveBills(Object.keys(bills));
