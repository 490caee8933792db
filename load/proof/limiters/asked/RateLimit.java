import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Files;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.filters.RateLimitFilter;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/** Tomcat's RateLimitFilter, which counts by remote address: here a bucket's name. FORM: the class that counts. */
public class RateLimit {
  public static void main(String[] arguments) throws Exception {
    java.util.logging.LogManager.getLogManager().reset();
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(Files.createTempDirectory(java.nio.file.Path.of("").toAbsolutePath(), "tomcat").toString());
    Connector connector = new Connector();
    connector.setProperty("address", "127.0.0.1");
    connector.setPort(Integer.parseInt(System.getenv("PORT")));
    tomcat.setConnector(connector);
    Context context = tomcat.addContext("", null);
    Tomcat.addServlet(context, "admitted", new Admitted());
    context.addServletMappingDecoded("/", "admitted");

    FilterDef buckets = new FilterDef();
    buckets.setFilter(new Buckets());
    add(context, "buckets", buckets);
    FilterDef limits = new FilterDef();
    limits.setFilter(new RateLimitFilter());
    limits.addInitParameter("bucketRequests", System.getenv("QUOTA"));
    limits.addInitParameter("bucketDuration", System.getenv("WINDOW_SECONDS"));
    limits.addInitParameter("exposeHeaders", "true");
    limits.addInitParameter("rateLimitClassName", "org.apache.catalina.util." + System.getenv("FORM"));
    add(context, "limits", limits);
    tomcat.start();
    tomcat.getServer().await();
  }

  private static void add(Context context, String name, FilterDef filter) {
    filter.setFilterName(name);
    context.addFilterDef(filter);
    FilterMap everything = new FilterMap();
    everything.setFilterName(name);
    everything.addURLPattern("/*");
    context.addFilterMap(everything);
  }

  static class Buckets extends HttpFilter {
    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
        throws IOException, ServletException {
      chain.doFilter(
          new HttpServletRequestWrapper(request) {
            @Override
            public String getRemoteAddr() {
              return request.getHeader("X-Bucket");
            }
          },
          response);
    }
  }

  static class Admitted extends HttpServlet {
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) {
      response.setStatus(HttpServletResponse.SC_NO_CONTENT);
    }
  }
}
