// Sends one POST as an application would: Send LIBRARY BASE CASE.
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.apache.http.client.methods.HttpGet;
import org.apache.http.client.methods.HttpPost;
import org.apache.http.entity.StringEntity;
import org.apache.http.impl.client.HttpClients;
import org.apache.http.util.EntityUtils;
import org.apache.http.util.VersionInfo;

class Send {
  static final String BODY = "{\"tool_id\":\"weather.current.v1\"}";

  public static void main(String[] given) throws Exception {
    String library = given[0], base = given[1], which = given[2], url = base + "/" + which;
    if (which.equals("version")) {
      boolean isApache = library.startsWith("Apache");
      System.out.println(
          isApache
              ? VersionInfo.loadVersionInfo("org.apache.http.client", Send.class.getClassLoader()).getRelease()
              : "Java " + System.getProperty("java.version"));
      return;
    }
    boolean isKept = which.equals("kept");
    switch (library) {
      case "HttpURLConnection" -> {
        if (isKept) read((HttpURLConnection) URI.create(base + "/warm").toURL().openConnection());
        HttpURLConnection connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
        connection.setRequestMethod("POST");
        connection.setDoOutput(true);
        connection.getOutputStream().write(BODY.getBytes());
        read(connection);
      }
      case "java.net.http.HttpClient" -> {
        HttpClient client = HttpClient.newHttpClient();
        if (isKept) client.send(HttpRequest.newBuilder(URI.create(base + "/warm")).build(), BodyHandlers.ofString());
        HttpRequest post =
            HttpRequest.newBuilder(URI.create(url)).POST(HttpRequest.BodyPublishers.ofString(BODY)).build();
        client.send(post, BodyHandlers.ofString());
      }
      default -> {
        var client = HttpClients.createDefault();
        if (isKept) EntityUtils.consume(client.execute(new HttpGet(base + "/warm")).getEntity());
        HttpPost post = new HttpPost(url);
        post.setEntity(new StringEntity(BODY));
        client.execute(post);
      }
    }
  }

  static void read(HttpURLConnection connection) throws Exception {
    try (InputStream answer = connection.getInputStream()) {
      answer.readAllBytes();
    }
  }
}
