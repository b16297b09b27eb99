<?php
// What WordPress offers to a plug-in, as far as the examples of the guides use it.
$filters = [];

function add_filter(string $name, callable $filter, int $priority = 10, int $arguments = 1): void {
    global $filters;
    $filters[$name] = $filter;
}

function wp_check_filetype(string $path): array {
    $types = ['jpg' => 'image/jpeg', 'png' => 'image/png'];
    return ['type' => $types[pathinfo($path, PATHINFO_EXTENSION)] ?? false];
}

function get_attached_file(int $id): string {
    return getcwd() . '/photo.png';
}

/** @return array{status: int, headers: array<string, string>, body: string}|false */
function wp_remote_post(string $url, array $asked): array|false {
    $lines = array_map(fn($name, $value) => "$name: $value", array_keys($asked['headers']), $asked['headers']);
    $http = ['method' => 'POST', 'header' => $lines, 'content' => $asked['body'], 'timeout' => $asked['timeout'], 'ignore_errors' => true, 'follow_location' => 0];
    $body = file_get_contents($url, false, stream_context_create(['http' => $http]));
    if ($body === false) return false;
    $headers = [];
    foreach ($http_response_header as $line) {
        [$name, $value] = explode(':', $line, 2) + [1 => ''];
        $headers[strtolower($name)] = trim($value);
    }
    return ['status' => (int) explode(' ', $http_response_header[0])[1], 'headers' => $headers, 'body' => $body];
}

function is_wp_error(mixed $response): bool {
    return $response === false;
}

function wp_remote_retrieve_response_code(array $response): int {
    return $response['status'];
}

function wp_remote_retrieve_body(array $response): string {
    return $response['body'];
}

function wp_remote_retrieve_header(array $response, string $name): string {
    return $response['headers'][$name] ?? '';
}
