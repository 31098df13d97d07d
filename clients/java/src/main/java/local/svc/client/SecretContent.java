package local.svc.client;

import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.Charset;
import org.openqa.selenium.remote.http.Contents;

/**
 * Body of a request that contains a secret. Selenium logs the result of `toString`, so that method returns only the
 * length. A dynamic proxy implements {@code Contents.Supplier}, because this interface has different methods in the
 * Selenium releases that java-client 9.5 and 10 use.
 */
final class SecretContent implements InvocationHandler {
    private final byte[] content;

    private SecretContent(byte[] content) {
        this.content = content;
    }

    static Contents.Supplier of(byte[] content) {
        Class<?>[] types = {Contents.Supplier.class};
        return (Contents.Supplier) Proxy.newProxyInstance(types[0].getClassLoader(), types, new SecretContent(content));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] args) {
        switch (method.getName()) {
            case "get":
                return new ByteArrayInputStream(content);
            case "length":
                if (method.getReturnType() == int.class) return content.length;
                return (long) content.length;
            case "contentAsString":
                return new String(content, (Charset) args[0]);
            case "reader":
                return new InputStreamReader(new ByteArrayInputStream(content), (Charset) args[0]);
            case "close":
                // Do nothing, because the object holds no resources, and its content is needed again if the request is
                // sent again.
                return null;
            case "equals":
                return proxy == args[0];
            case "hashCode":
                return System.identityHashCode(proxy);
            case "toString":
                return content.length + " bytes";
            default:
                throw new UnsupportedOperationException(method.getName());
        }
    }
}
