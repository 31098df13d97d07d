package local.svc.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.json.Json;

class CreateBodyTest {
    private static final Map<String, Object> PAIR = Map.of("accessKey", "k", "token", "t");

    private static void becomes(String before, Map<String, Object> fields, String after) {
        Optional<String> changed = CreateBody.with(before.replace('\'', '"'), fields);
        assertEquals(parsed(after), parsed(changed.orElseThrow()));
    }

    private static Object parsed(String text) {
        return new Json().toType(text.replace('\'', '"'), Object.class);
    }

    @Test
    @DisplayName("(specification 5.4.1) credentials go where svc:options stand, else into alwaysMatch")
    void attaches() {
        becomes("{'capabilities':{'alwaysMatch':{'a':1},'firstMatch':[{}]}}", PAIR,
            "{'capabilities':{'alwaysMatch':{'a':1,'svc:options':{'accessKey':'k','token':'t'}},'firstMatch':[{}]}}");
        becomes("{'capabilities':{}}", PAIR,
            "{'capabilities':{'alwaysMatch':{'svc:options':{'accessKey':'k','token':'t'}}}}");
        becomes("{'capabilities':{'firstMatch':[{'svc:options':{'team':'x'}},{'b':2}]}}", PAIR,
            "{'capabilities':{'firstMatch':[{'svc:options':{'team':'x','accessKey':'k','token':'t'}},"
                + "{'b':2,'svc:options':{'accessKey':'k','token':'t'}}]}}");
    }

    @Test
    @DisplayName("(contract 6.4) credentials that were there are replaced as a set; a lease leaves them")
    void replaces() {
        becomes("{'capabilities':{'alwaysMatch':{'svc:options':{'sessionToken':'s','healingTiers':[1]}}}}", PAIR,
            "{'capabilities':{'alwaysMatch':{'svc:options':{'healingTiers':[1],'accessKey':'k','token':'t'}}}}");
        becomes("{'capabilities':{'alwaysMatch':{'svc:options':{'sessionToken':'s'}}}}",
            Map.of("leaseId", "l", "leaseToken", "x"),
            "{'capabilities':{'alwaysMatch':{'svc:options':{'sessionToken':'s','leaseId':'l','leaseToken':'x'}}}}");
    }

    @Test
    @DisplayName("all else in a create stays what it was")
    void keeps() {
        String odd = "{'capabilities':{'alwaysMatch':{'n':null,'i':9007199254740993,'d':1.5,'t':true,'u':'é\\u0000\\\\','l':[[],{}],"
            + "'svc:options':{'accessKey':'k','token':'t'}},'firstMatch':[{}]},'other':{'x':'y'}}";
        becomes(odd, PAIR, odd);
    }

    @Test
    @DisplayName("what is no W3C create is left alone")
    void leaves() {
        for (String other : new String[] {"", "[]", "{}", "{\"capabilities\":[]}", "{\"capabilities\":null}", "{\"capabilities\":{"}) {
            assertEquals(Optional.empty(), CreateBody.with(other, PAIR), other);
        }
    }
}
