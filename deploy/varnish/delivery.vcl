vcl 4.1;

# A cache in front of live delivery (docs/delivery.md): GET is cached, everything else goes through.
backend default {
  .host = "127.0.0.1";
  .port = "8081";
  # timeout= of a request, and a little.
  .first_byte_timeout = 60s;
}

sub vcl_recv {
  if (req.url ~ "^/-/metrics") {
    return (synth(404));
  }
  # With TRUST_PROXY it is believed: what clients send must not pass, nor be cached.
  set req.http.X-Forwarded-Host = req.http.Host;
  if (req.method != "GET" && req.method != "HEAD") {
    return (pass);
  }
  # Dozens of Accept headers are brought down to five: each is a copy of its own in the cache.
  if (req.http.Accept ~ "(?i)text/html") {
    set req.http.Accept = "text/html";
  } else if (req.http.Accept ~ "(?i)image/jxl") {
    set req.http.Accept = "image/jxl,image/avif,image/webp,image/*";
  } else if (req.http.Accept ~ "(?i)image/avif") {
    set req.http.Accept = "image/avif,image/webp,image/*";
  } else if (req.http.Accept ~ "(?i)image/webp") {
    set req.http.Accept = "image/webp,image/*";
  } else {
    set req.http.Accept = "image/*";
  }
  unset req.http.Cookie;
}

sub vcl_backend_response {
  # Served for a day more while the service is away, and for a moment while it is asked again.
  set beresp.grace = 1d;
  if (beresp.status >= 500 && bereq.is_bgfetch) {
    return (abandon);
  }
}

sub vcl_deliver {
  set resp.http.X-Cache = obj.hits;
}
